"""python -m tercet"""

from tercet.cli.main import main

if __name__ == "__main__":
    main()

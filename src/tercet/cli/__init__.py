"""The command line: one thin file for each command, which parses options, calls the library and prints."""

"""Documents, and the readers that find them in files and folders."""

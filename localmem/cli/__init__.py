"""The command line: argv to one call to one printed result."""

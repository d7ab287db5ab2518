"""Record exercises on a GPU machine without this program's libraries, and place the results here."""

"""Files of which the exported rule is made, in place of packages that an interpreter without them lacks."""

"""Movement properties, one file each: each is a registered phrase edit that asks for claims of single aspects."""

"""Scripts of actions: what is done, when and where, compiled to a phrase."""

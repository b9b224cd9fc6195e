"""Behaviours that come with Kinesphere: one module each, named as it is registered."""

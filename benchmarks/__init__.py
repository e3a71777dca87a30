"""Measurements that anyone can repeat: what is claimed, beside what it is compared with."""

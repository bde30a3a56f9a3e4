"""What tests need beside the standard library; without it they are skipped, not failed."""

import importlib.util
import unittest


def packages(*names):
    """Skips the test module that calls this where packages are missing, and names them."""
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    if missing:
        raise unittest.SkipTest(f"needs {', '.join(missing)}")

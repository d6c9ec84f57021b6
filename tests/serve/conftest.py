"""One study for all tests of a file."""

import pytest

from tests.serve.site import open_site


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with open_site(tmp_path_factory.mktemp("site")) as site:
        yield site

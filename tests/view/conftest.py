"""The browser, for tests of what is drawn in one."""

from tests.browser import browser as browser

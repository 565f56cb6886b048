"""The screens that a page is looked at on: how wide, and light or dark."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from PIL import Image
from selenium import webdriver

PHONE, DESKTOP = 320, 1280
"""The narrowest phone that is looked at, and a desk, in CSS pixels."""


@dataclass(frozen=True)
class Look:
    """A screen."""

    width: int
    scheme: str

    def __str__(self) -> str:
        return f"{self.width}-{self.scheme}"


LOOKS = tuple(Look(width, scheme) for scheme in ("light", "dark") for width in (PHONE, DESKTOP))

SEEN_WHOLE = """
const { top, bottom } = document.querySelector(arguments[0]).getBoundingClientRect();
return top >= 0 && bottom <= innerHeight;
"""
"""Whether the element of a selector is in sight, from its top to its bottom."""


def show_on(driver: webdriver.Chrome, look: Look, height: int = 800) -> None:
    """Show the page on another screen, without loading it again."""
    resize(driver, look.width, height)
    touch = {"enabled": look.width < 500}
    driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", touch)
    emulate(driver, {"prefers-color-scheme": look.scheme})


@contextmanager
def on_screen(driver: webdriver.Chrome, look: Look, height: int = 800) -> Iterator[None]:
    """Show the page on another screen until the block ends."""
    show_on(driver, look, height)
    try:
        yield
    finally:
        show_as_usual(driver)


def show_as_usual(driver: webdriver.Chrome) -> None:
    """Show the page as it is when nobody looks at it."""
    resize(driver, 900, 1200)
    driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
    emulate(driver, {"prefers-color-scheme": "light"})


def emulate(driver: webdriver.Chrome, features: dict[str, str], media: str = "") -> None:
    """Show the page as on a device with these media features, and without motion."""
    # What moves is looked at when it has arrived.
    features = {"prefers-reduced-motion": "reduce", **features}
    listed = [{"name": name, "value": value} for name, value in features.items()]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": listed})


def resize(driver: webdriver.Chrome, width: int, height: int, scale: float = 1) -> None:
    metrics = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": width < 500}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def screenshot(driver: webdriver.Chrome, width: int, height: int, scale: float = 1) -> Image.Image:
    """Return what is seen in a window of that size."""
    resize(driver, width, height, scale)
    return Image.open(io.BytesIO(driver.get_screenshot_as_png())).convert("RGB")


DRAWN = """
const images = [...document.images].filter((one) => one.getClientRects().length);
for (const one of images) one.loading = "eager";
Promise.allSettled(images.map((one) => one.decode())).then(() => arguments[0]());
"""
"""Waits for the images that somebody who scrolls would see."""

PINNED = """
for (const one of document.querySelectorAll("main, form")) {
    one.style.minHeight = arguments[0] ? getComputedStyle(one).minHeight : "";
}
if (document.activeElement.matches("h1, h2, .panel")) document.activeElement.blur();
return document.documentElement.scrollHeight;
"""


def whole_page(driver: webdriver.Chrome, look: Look) -> Image.Image:
    """Return the page from its top to its end."""
    show_on(driver, look, height=667)
    driver.execute_async_script(DRAWN)
    # Sized, not stitched: what stays in sight while scrolling would be seen several times. What is
    # as high as the screen stays so, and what was pressed by a script has the ring of a keyboard.
    height = driver.execute_script(PINNED, True)
    picture = screenshot(driver, look.width, height)
    driver.execute_script(PINNED, False)
    return picture

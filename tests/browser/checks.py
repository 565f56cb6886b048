"""What must hold of every page, whatever stands on it: each check returns the problems it found.

axe knows much of this; what it leaves to people, or asks less of than WCAG 2.2 AA does, is here.
"""

import json
from pathlib import Path
from typing import Any

from selenium import webdriver

from tests.browser.looks import emulate, resize
from tests.kit import needs

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

COLOURS = ["color-contrast", "link-in-text-block"]
"""The rules of axe that look at colours."""

SHOWN = """
    const shown = (selector, within = document) => [...within.querySelectorAll(selector)]
        .filter((one) => one.checkVisibility({ visibilityProperty: true }));
    const name = (one) => one.outerHTML.slice(0, 120);
"""

TARGETS = """
    // What is folded is pressed too, once it is open.
    const folded = shown("details:not([open])");
    for (const one of folded) one.open = true;
    const found = shown("a, button, input, summary").filter((one) => {
        if (getComputedStyle(one).display === "inline" &&
            one.parentElement.textContent.trim() !== one.textContent.trim()) return false;
        // Out of sight until it has the focus.
        if (one.matches(".skip")) one.focus();
        const ticked = one.matches("[type=radio], [type=checkbox]");
        const { width, height } = ((ticked && one.labels[0]) || one).getBoundingClientRect();
        return width < LEAST || height < LEAST;
    });
    for (const one of folded) one.open = false;
    return found.map(name);
"""
"""WCAG 2.5.8 and 2.5.5: a link within a sentence may be as high as its line."""

CHECKS = {
    # WCAG 1.4.10; what is wider than the page would have to scroll by itself.
    "no wider than the screen": """
        const { scrollWidth, clientWidth } = document.documentElement;
        if (scrollWidth <= clientWidth) return [];
        return [`${scrollWidth - clientWidth} pixels`, ...shown("body *")
            .filter((one) => one.getBoundingClientRect().right > clientWidth + 1).map(name)];
    """,
    "headings in order": """
        const levels = shown("h1, h2, h3, h4, h5, h6").map((one) => Number(one.tagName[1]));
        const found = levels.filter((level) => level === 1).length === 1 ? [] : ["not one h1"];
        if (levels[0] !== 1) found.push("h1 is not the first");
        levels.forEach((level, place) => {
            if (level > (levels[place - 1] ?? 0) + 1) found.push(`h${level} skips a level`);
        });
        return found;
    """,
    # A rule of a server may fetch ahead what a link leads to, when a box is ticked.
    "no link among questions": """
        return document.querySelector("#page-survey form")
            ? [...document.querySelectorAll("a, area")].map(name) : [];
    """,
    "no asterisks": """
        return document.body.innerText.includes("*") ? ["a * on the page"] : [];
    """,
    "an error is in the title": """
        const wrong = shown("#page-survey > .panel.warning li, .error").length > 0;
        // In whatever language; no title of a survey or page that is walked through has a colon.
        return document.title.includes(": ") === (wrong && shown("form").length > 0)
            ? [] : [document.title];
    """,
    # Under prefers-reduced-motion, as all looks are; made-up reports fall for others.
    "nothing moves": """
        return shown("html, body *").filter((one) => {
            const style = getComputedStyle(one);
            return !/^0s(, 0s)*$/.test(`${style.animationDuration}, ${style.transitionDuration}`)
                || style.scrollBehavior !== "auto";
        }).map(name);
    """,
    # WCAG 2.4.7 and 2.4.11: seen to have the focus, and not under what stays in sight.
    "focus is seen": """
        const before = document.activeElement;
        const at = [scrollX, scrollY];
        // What has been pressed by a mouse has the focus already, and shows none.
        before.blur();
        const found = [];
        // From the end, as Shift and Tab go: upwards something may stand in front.
        for (const one of shown("a, button, input, summary, [tabindex]").reverse()) {
            one.focus({ focusVisible: true });
            const { outlineStyle, outlineWidth } = getComputedStyle(one);
            const none = outlineStyle === "none" || parseFloat(outlineWidth) < 2;
            // What no key leads to may do without: a heading that the page leads to is only read.
            if (none && one.tabIndex >= 0) {
                found.push(`no outline: ${name(one)}`);
            }
            const { left, top, width, height } = one.getBoundingClientRect();
            const seen = [0.1, 0.5, 0.9].some((part) => {
                const hit = document.elementFromPoint(left + width / 2, top + height * part);
                return hit !== null && (one.contains(hit) || hit.contains(one));
            });
            if (!seen) found.push(`out of sight: ${name(one)}`);
        }
        before.focus();
        scrollTo(...at);
        return found;
    """,
    # They move the focus, and who leaves a field may be told of a mistake in it.
    "targets of 24 pixels": TARGETS.replace("LEAST", "24"),
    # A finger's, which the desk's pages need not have; less what rounding takes.
    "targets of 44 pixels": TARGETS.replace("LEAST", "43.9"),
}
"""By what holds: the body of a function that returns what does not."""

# WCAG 1.4.12.
SPACING = """
    * { line-height: 1.5 !important; letter-spacing: 0.12em !important;
        word-spacing: 0.16em !important; }
    p { margin-block-end: 2em !important; }
"""

SPACED = """
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(arguments[0]);
    document.adoptedStyleSheets = [sheet];
    const width = document.documentElement.clientWidth;
    const outside = (one, { left, right }) => {
        const range = document.createRange();
        range.selectNodeContents(one);
        return [...range.getClientRects()].some((part) =>
            part.width > 0 && (part.left < left - 1 || part.right > right + 1));
    };
    const found = shown("main *, header *, footer *").filter((one) => {
        if (one.closest("svg") || one.closest("thead")) return false;
        if (![...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) {
            return false;
        }
        const style = getComputedStyle(one);
        const cut = style.overflow !== "visible" && one.scrollHeight > one.clientHeight + 1;
        return cut || outside(one, { left: 0, right: width });
    });
    for (const text of shown("svg text")) {
        const drawing = text.ownerSVGElement;
        const cut = getComputedStyle(drawing).overflow !== "visible";
        const edge = (cut ? drawing : document.documentElement).getBoundingClientRect();
        const { left, right } = text.getBoundingClientRect();
        if (left < edge.left || right > edge.right) found.push(text);
    }
    document.adoptedStyleSheets = [];
    return found.map(name);
"""

# What colours carry, where the system has only a few of its own.
FORCED = """
    const parts = (colour) => {
        const [red, green, blue, alpha = 1] = colour.match(/[\\d.]+/g)?.map(Number) ?? [0, 0, 0, 0];
        return { light: [red, green, blue].map((part) => {
            const share = part / 255;
            return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        }).reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0), alpha };
    };
    const paper = getComputedStyle(document.body).backgroundColor;
    const contrast = (colour, ground = paper) => {
        if (parts(colour).alpha === 0) return 1;
        const behind = parts(ground).alpha === 0 ? paper : ground;
        const [low, high] = [colour, behind]
            .map((one) => parts(one).light)
            .sort((one, other) => one - other);
        return (high + 0.05) / (low + 0.05);
    };
    const found = [];
    const check = (selector, property, least) => {
        for (const one of shown(selector)) {
            const colour = getComputedStyle(one)[property];
            if (contrast(colour) < least) found.push(`${property} ${colour}: ${name(one)}`);
        }
    };
    check("svg text", "fill", 4.5);
    check(".people .filled", "fill", 3);
    check(".people, .arrow, .place, .pill", "stroke", 3);
    const framed = ".panel, .mark.direct, .path, button:not(.link), .exit, input[type=text], .wire";
    for (const one of shown(framed)) {
        const { borderTopWidth, borderTopStyle, borderTopColor, color, backgroundColor } =
            getComputedStyle(one);
        if (contrast(color, backgroundColor) < 4.5) found.push(`cannot be read: ${name(one)}`);
        if (borderTopWidth === "0px" || borderTopStyle === "none" || contrast(borderTopColor) < 3) {
            found.push(`no border: ${name(one)}`);
        }
    }
    return found;
"""

CONTROLS = {
    "button",
    "checkbox",
    "DisclosureTriangle",
    "img",
    "image",
    "link",
    "ProgressIndicator",
    "progressbar",
    "radio",
    "table",
    "textbox",
}
"""Roles of what must have a name."""


def problems(driver: webdriver.Chrome, *checks: str) -> dict[str, list[str]]:
    """Return what some of `CHECKS`, or all of them, find on the page as it stands."""
    calls = (f"{json.dumps(check)}: (() => {{ {CHECKS[check]} }})()" for check in checks or CHECKS)
    found: dict[str, list[str]] = driver.execute_script(f"{SHOWN} return {{ {', '.join(calls)} }};")
    return found


def axe_problems(driver: webdriver.Chrome, *, colours_alone: bool = False) -> list[str]:
    """Check the page as it stands by axe, against WCAG 2.2 AA and its advice.

    Of a page that was checked whole, another scheme changes its colours alone.
    """
    source = needs.file(AXE, "make install").read_text()
    # Through the debugger: the page's own policy rightly refuses scripts from elsewhere.
    if not driver.execute_script("return typeof axe === 'object'"):
        driver.execute_cdp_cmd("Runtime.evaluate", {"expression": source})
    only = COLOURS if colours_alone else TAGS
    # Of what passes, that it does is enough: axe spends much of its time on describing it, and on
    # loading sounds and films, of which no page has any.
    options = json.dumps(
        {"runOnly": only, "resultTypes": ["violations"], "selectors": False, "preload": False}
    )
    kept = "JSON.stringify({ passes: found.passes.length, violations: found.violations })"
    # From the top: there the bar of Leave quickly covers no half of a button.
    run = f"scrollTo(0, 0); axe.run({options}).then((found) => {kept})"
    # This way too where the page's own scripts may not run.
    arguments = {"expression": run, "awaitPromise": True}
    answer = driver.execute_cdp_cmd("Runtime.evaluate", arguments)
    found: dict[str, Any] = json.loads(answer["result"]["value"])
    # Axe sees no text to judge the colours of where all of it is Arabic.
    assert colours_alone or found["passes"] > 5
    return [
        f"{violation['id']}: {violation['help']}: {node['html']}"
        for violation in found["violations"]
        for node in violation["nodes"]
    ]


def spacing_problems(driver: webdriver.Chrome) -> list[str]:
    """Return the texts that are lost where readers space them out (WCAG 1.4.12)."""
    found: list[str] = driver.execute_script(SHOWN + SPACED, SPACING)
    return found


def forced_colour_problems(driver: webdriver.Chrome, scheme: str) -> list[str]:
    """Return what is not seen where the system has colours of its own."""
    emulate(driver, {"forced-colors": "active", "prefers-color-scheme": scheme})
    found: list[str] = driver.execute_script(SHOWN + FORCED)
    return found


def zoom_problems(driver: webdriver.Chrome) -> list[str]:
    """Return what is wrong at 400 % on a screen of 1280 by 1024 pixels (WCAG 1.4.10)."""
    resize(driver, 320, 256, 4)
    found = problems(driver, "no wider than the screen", "focus is seen")
    return [problem for those in found.values() for problem in those]


def nameless(driver: webdriver.Chrome) -> list[str]:
    """Return the controls and pictures that a screen reader would have no words for."""
    tree = driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})
    return [
        f"{node['role']['value']} without a name"
        for node in tree["nodes"]
        if not node["ignored"]
        and node["role"]["value"] in CONTROLS
        and not node.get("name", {}).get("value")
    ]

"""The page at the root of a server."""

from __future__ import annotations

import re

import httpx2


def test_the_root_is_a_page_that_loads_nothing_and_leads_to_what_is_there(http: httpx2.Client):
    page = http.get("/")
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert page.headers["content-security-policy"].startswith("default-src 'none';")
    links = re.findall(r'href="([^"]+)"', page.text)
    assert links == ["openapi.json", "healthz", "readyz"]
    assert all(http.get(f"/{one}").status_code == 200 for one in links)
    assert not re.search(r"<script|<style|<img|<link|src=|style=|https?:", page.text)
    assert "/" not in http.get("/openapi.json").json()["paths"]

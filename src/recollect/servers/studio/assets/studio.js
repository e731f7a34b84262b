// What pages do beyond links and forms: keys, light and dark, and one stream of events for all tabs.
"use strict";
(() => {
  const body = document.body, root = document.documentElement
  const kept = name => { try { return localStorage.getItem(name) } catch { return null } }
  const keep = (name, value) => { try { localStorage.setItem(name, value) } catch { /* private window */ } }
  if (kept("look")) root.dataset.look = kept("look")

  addEventListener("htmx:config:request", event => {
    const request = event.detail?.ctx?.request
    if (request) request.headers["X-Recollect-Token"] = body.dataset.token ?? ""
  })

  document.querySelector("[data-look]")?.addEventListener("click", () => {
    const isDark = (root.dataset.look ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark"
    root.dataset.look = isDark ? "light" : "dark"
    keep("look", root.dataset.look)
  })

  // Keys.
  let waits = false
  const writes = target => target.closest?.("input, textarea, select, kip-editor, [contenteditable]")
  addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || writes(event.target)) return
    if (waits) {
      waits = false
      const link = document.querySelector(`nav [data-key="${CSS.escape(event.key)}"]`)
      if (link) { event.preventDefault(); link.click() }
      return
    }
    if (event.key === "/") { event.preventDefault(); document.getElementById("quick")?.focus() }
    else if (event.key === "g") waits = true
    else if (event.key === "?") document.getElementById("keys")?.showModal()
    else if (event.key === "j" || event.key === "k") {
      const links = [...document.querySelectorAll("main .lines a, main td a")]
      const at = links.indexOf(document.activeElement)
      links[at + (event.key === "j" ? 1 : -1)]?.focus()
    }
  })

  // The slider of the clock of the system writes into its field.
  for (const slider of document.querySelectorAll("input[type=range][data-sets]")) {
    slider.closest("label").hidden = false
    slider.addEventListener("input", () => { slider.form.elements[slider.dataset.sets].value = "#" + slider.value })
    slider.addEventListener("change", () => slider.form.requestSubmit())
  }

  // Questions asked before, and long texts that no address can hold.
  const asked = document.querySelector("form[data-history]")
  if (asked) {
    let past = []
    try { past = JSON.parse(kept("asked") ?? "[]").filter(one => typeof one === "string") } catch { /* not ours */ }
    const text = asked.elements.q?.value.trim()
    if (text) keep("asked", JSON.stringify([text, ...past.filter(one => one !== text)].slice(0, 30)))
    const list = document.getElementById("history")
    for (const one of list ? past : []) {
      const link = document.createElement("a"), address = new URL(list.dataset.base, location.origin)
      address.searchParams.set("q", one)
      link.href = address.pathname + address.search
      link.textContent = one.slice(0, 200)
      list.appendChild(document.createElement("li")).append(link)
    }
    asked.addEventListener("submit", () => {
      if (asked.elements.q.value.length < 4000) return
      asked.method = "post"
      const token = Object.assign(document.createElement("input"), {type: "hidden", name: "token", value: body.dataset.token})
      asked.append(token)
    })
  }

  // Events: one tab listens, and tells the others.
  const live = document.querySelectorAll("[data-live]")
  if (live.length === 0 || !body.dataset.events || !navigator.locks) return
  const channel = new BroadcastChannel("recollect-" + body.dataset.group)
  const names = ["memory.changed", "knowledge.created", "knowledge.observed", "knowledge.verified", "knowledge.disputed", "knowledge.superseded", "attention.added", "attention.cleared", "attention.set_aside"]
  let timer = null
  const stale = new Set()
  const isStale = key => [...stale].some(one => key === one || key.startsWith(one + "/"))
  // Query keys: `memory`, `knowledge/claim/ID`, `knowledge/lens/KIND/ID`, `knowledge/attention`.
  function told({name, claim}) {
    if (name === "memory.changed") stale.add("memory")
    if (name.startsWith("attention.")) stale.add("knowledge/attention")
    if (name.startsWith("knowledge.")) stale.add("knowledge/lens")
    if (claim) stale.add("knowledge/claim/" + claim)
    timer ??= setTimeout(() => {
      timer = null
      for (const part of document.querySelectorAll("[data-live]")) {
        if (part.dataset.live.split(" ").some(isStale)) part.dispatchEvent(new CustomEvent("stale"))
      }
      stale.clear()
    }, 150)
  }
  channel.addEventListener("message", event => told(event.data))
  navigator.locks.request("recollect-events-" + body.dataset.group, () => new Promise(() => {
    const listener = document.createElement("div")
    listener.hidden = true
    listener.setAttribute("hx-sse:connect", body.dataset.events)
    body.append(listener)
    for (const name of names) listener.addEventListener(name, event => {
      let claim = null
      try { claim = JSON.parse(event.detail.data).claim_id } catch { /* it says nothing of a claim */ }
      const message = {name, claim}
      told(message)
      channel.postMessage(message)
    })
    htmx.process(listener)
  }))
})()

// The picture of the graph: drawn by Cytoscape.js, grown node by node, kept where it was put.
"use strict";
(async () => {
  const holder = document.getElementById("picture")
  if (!holder) return
  const said = document.getElementById("said")
  const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim()
  const closest = 1.4  // a few nodes fill the picture, and are no giants
  const place = "graph:" + location.search
  const kept = (() => { try { return JSON.parse(sessionStorage.getItem(place)) ?? {} } catch { return {} } })()
  const load = async address => {
    const answer = await fetch(address)
    if (!answer.ok) said.textContent = "The picture cannot be drawn: the page says why."
    return answer.ok ? answer.json() : {nodes: [], links: [], whole: true}
  }
  const short = text => text.length > 40 ? text.slice(0, 40) + "…" : text
  const elements = found => [
    ...found.nodes.map(one => ({group: "nodes", data: {id: "n" + one.id, raw: one.id, label: short(one.name), tint: tintOf(one.type), ended: one.ended ? 1 : 0}, position: kept[one.id]})),
    ...found.links.map(one => ({group: "edges", data: {id: "l" + one.id, source: "n" + one.from, target: "n" + one.to, label: short(one.predicate), ended: one.ended ? 1 : 0}})),
  ]
  const first = await load(holder.dataset.source)
  // The commonest types have a colour each, the same from picture to picture unless two want one.
  const tints = ["--accent", "--violet", "--good", "--warn", "--bad"].map(css)
  const many = Map.groupBy(first.nodes, one => one.type)
  const types = Array(tints.length).fill(null)
  const tintOf = type => tints[types.indexOf(type)] ?? css("--soft")
  const legend = document.getElementById("legend")
  const give = type => {
    if (types.includes(type) || !types.includes(null)) return
    let at = [...type].reduce((sum, one) => (31 * sum + one.codePointAt()) % 9973, 7) % tints.length
    while (types[at] !== null) at = (at + 1) % tints.length
    types[at] = type
    const sign = Object.assign(document.createElement("span"), {className: "tint-" + at, textContent: "● "})
    legend.appendChild(document.createElement("li")).append(sign, short(type))
  }
  for (const type of [...many.keys()].sort((a, b) => many.get(b).length - many.get(a).length || (a < b ? -1 : 1))) give(type)
  if (many.size > tints.length) legend.appendChild(Object.assign(document.createElement("li"), {className: "soft"})).textContent = "● others"
  const cy = cytoscape({
    container: holder,
    elements: elements(first),
    layout: {name: "preset"},  // without one the nodes of a picture that was drawn before stand in a grid
    textureOnViewport: first.nodes.length > 400,
    hideEdgesOnViewport: first.nodes.length > 400,
    minZoom: 0.05,
    maxZoom: 4,
    style: [
      {selector: "node", style: {"background-color": "data(tint)", label: "data(label)", color: css("--ink"), "font-size": 12, width: 18, height: 18, "min-zoomed-font-size": 7, "text-valign": "bottom", "text-margin-y": 3}},
      {selector: "node[ended = 1]", style: {"background-color": css("--paper"), "border-width": 2, "border-color": "data(tint)"}},
      {selector: "edge", style: {"line-color": css("--line"), width: 1.5, "target-arrow-shape": "triangle", "target-arrow-color": css("--line"), "curve-style": "bezier", label: first.nodes.length > 150 ? "" : "data(label)", color: css("--soft"), "font-size": 12, "min-zoomed-font-size": 9, "text-rotation": "autorotate", "text-background-color": css("--paper"), "text-background-opacity": 0.85, "text-background-padding": 2}},
      {selector: "edge[ended = 1]", style: {"line-style": "dashed"}},
      {selector: ":selected", style: {"background-color": css("--warn"), "line-color": css("--warn")}},
    ],
  })
  const settle = (nodes, fit) => nodes.layout(nodes.length > 300
    ? {name: "concentric", animate: false, fit, minNodeSpacing: 12, concentric: node => node.degree(), levelWidth: () => 3}
    : {name: "cose", animate: false, fit, nodeDimensionsIncludeLabels: true, randomize: true, componentSpacing: 60, idealEdgeLength: () => 110, nodeRepulsion: () => 60000, edgeElasticity: () => 100, gravity: 0.5, numIter: 1500}).run()
  const fit = () => {
    cy.fit(undefined, 30)
    if (cy.zoom() > closest) { cy.zoom(closest); cy.center() }
  }
  const remember = () => {
    const positions = Object.fromEntries(cy.nodes().map(one => [one.data("raw"), one.position()]))
    try { sessionStorage.setItem(place, JSON.stringify(positions)) } catch { /* full */ }
  }
  if (first.nodes.some(one => !kept[one.id])) settle(cy.elements(), true)
  fit()
  remember()
  const counted = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`
  const tell = () => { said.textContent = `${counted(cy.nodes().length, "node")}, ${counted(cy.edges().length, "link")}.` }
  if (!said.textContent) tell()
  holder.dataset.ready = "1"

  cy.on("dbltap", "node", event => {
    const address = new URL(holder.dataset.element, location.origin)
    address.searchParams.set("id", event.target.data("raw"))
    location.assign(address)
  })
  cy.on("onetap", "node", async event => {
    const address = new URL(holder.dataset.expand, location.origin)
    address.searchParams.set("id", event.target.data("raw"))
    for (const name of ["type", "predicate", "confidence"]) {  // as they are chosen now
      const chosen = document.querySelector(`main form [name=${name}]`)?.value
      if (chosen) address.searchParams.set(name, chosen)
    }
    const found = await load(address)
    const fresh = found.nodes.filter(one => cy.getElementById("n" + one.id).empty())
    if (cy.nodes().length + fresh.length > first.most) { said.textContent = `At most ${first.most.toLocaleString("en")} nodes are drawn.`; return }
    const old = cy.nodes(), centre = event.target.position()
    const there = new Set([...cy.nodes().map(one => one.data("raw")), ...fresh.map(one => one.id)])
    fresh.forEach((one, at) => {
      const turn = 2 * Math.PI * at / fresh.length
      kept[one.id] = {x: centre.x + 110 * Math.cos(turn), y: centre.y + 110 * Math.sin(turn)}
    })
    const links = found.links.filter(one => there.has(one.from) && there.has(one.to) && cy.getElementById("l" + one.id).empty())
    fresh.forEach(one => give(one.type))
    cy.add(elements({nodes: fresh, links}))
    tell()
    old.unselect()
    remember()
  })
  cy.on("dragfree", remember)

  const save = (blob, name) => {
    const link = document.createElement("a")
    link.href = URL.createObjectURL(blob)
    link.download = name
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 10000)
  }
  document.getElementById("fit").addEventListener("click", fit)
  document.getElementById("as-png").addEventListener("click", async () => save(await cy.png({output: "blob-promise", full: true, scale: 2, bg: css("--paper")}), "graph.png"))
  document.getElementById("as-svg").addEventListener("click", () => {
    const space = "http://www.w3.org/2000/svg", box = cy.elements().boundingBox()
    const svg = document.createElementNS(space, "svg")
    const add = (name, members, text) => {
      const made = svg.appendChild(document.createElementNS(space, name))
      for (const [key, value] of Object.entries(members)) made.setAttribute(key, value)
      if (text) made.textContent = text
    }
    svg.style.background = css("--paper")
    svg.setAttribute("viewBox", `${box.x1 - 20} ${box.y1 - 20} ${box.w + 40} ${box.h + 40}`)
    cy.edges().forEach(one => {
      const from = one.source().position(), to = one.target().position()
      add("line", {x1: from.x, y1: from.y, x2: to.x, y2: to.y, stroke: css("--line"), ...(one.data("ended") ? {"stroke-dasharray": "4 3"} : {})})
      add("text", {x: (from.x + to.x) / 2, y: (from.y + to.y) / 2, "font-size": 12, "text-anchor": "middle", fill: css("--soft")}, one.data("label"))
    })
    cy.nodes().forEach(one => {
      const at = one.position()
      add("circle", {cx: at.x, cy: at.y, r: 9, fill: one.data("tint")})
      add("text", {x: at.x, y: at.y + 21, "font-size": 12, "text-anchor": "middle", fill: css("--ink")}, one.data("label"))
    })
    save(new Blob([new XMLSerializer().serializeToString(svg)], {type: "image/svg+xml"}), "graph.svg")
  })
})()

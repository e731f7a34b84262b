// Draws 2,000 nodes and 4,000 links with either library, and tells how long that took.
"use strict";
let seed = 7
const chance = () => (seed = (seed * 16807) % 2147483647) / 2147483647
const popular = () => Math.floor(2000 * chance() ** 2.5)
const nodes = Array.from({length: 2000}, (_, at) => "node " + at)
const links = Array.from({length: 4000}, () => [Math.floor(2000 * chance()), popular()])
const drawn = () => new Promise(then => requestAnimationFrame(() => requestAnimationFrame(then)))
const timed = async work => { const began = performance.now(); await work(); await drawn(); return performance.now() - began }
const circle = (place, many) => ({x: Math.cos(place / many * 2 * Math.PI), y: Math.sin(place / many * 2 * Math.PI)})
const frames = async step => {
  const took = []
  for (let at = 0; at < 20; at++) {
    const began = performance.now()
    step(at)
    await new Promise(then => requestAnimationFrame(then))
    took.push(performance.now() - began)
  }
  return took
}
window.pictures = {
  cytoscape: async layout => {
    let cy
    const first = await timed(() => {
      cy = cytoscape({
        container: document.getElementById("picture"), textureOnViewport: true, hideEdgesOnViewport: true,
        elements: [...nodes.map((label, id) => ({data: {id: "n" + id, label}})),
          ...links.map(([from, to]) => ({data: {source: "n" + from, target: "n" + to}}))],
        style: [{selector: "node", style: {label: "data(label)", width: 18, height: 18, "min-zoomed-font-size": 7}},
          {selector: "edge", style: {"curve-style": "bezier", "target-arrow-shape": "triangle", width: 1.5}}],
        layout: layout === "forces" ? {name: "cose", animate: false, randomize: true, numIter: 50}
          : {name: "concentric", animate: false, minNodeSpacing: 12, concentric: node => node.degree(), levelWidth: () => 3}})
    })
    const took = await frames(at => { cy.panBy({x: 3, y: 2}); if (at % 10 === 0) cy.zoom(cy.zoom() * 1.1) })
    return {first, took, png: (await cy.png({output: "blob-promise", full: true})).size}
  },
  sigma: async layout => {
    let renderer
    const first = await timed(() => {
      const graph = new Graph({multi: true})
      nodes.forEach((label, id) => graph.addNode(id, {label, size: 4, ...circle(id, nodes.length)}))
      links.forEach(([from, to]) => graph.addEdge(from, to, {size: 1, type: "arrow"}))
      if (layout === "forces") forces.assign(graph, {iterations: 50, settings: forces.inferSettings(graph)})
      renderer = new Sigma(graph, document.getElementById("picture"))
    })
    const camera = renderer.getCamera()
    const took = await frames(at => camera.setState({x: 0.5 + at / 600, y: 0.5, ratio: 1 - at / 200, angle: 0}))
    return {first, took, png: 0}
  },
}

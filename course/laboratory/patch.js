// New HTML in place of old, node by node: what stays as it is need not be laid out or painted again.

function patch(element, html) {
  const next = document.createElement("template");
  next.innerHTML = html;
  patchChildren(element, next.content);
}

function patchChildren(old, next) {
  const [before, after] = [[...old.childNodes], [...next.childNodes]];
  after.forEach((node, i) => (i < before.length ? patchNode(before[i], node) : old.append(node)));
  before.slice(after.length).forEach((node) => node.remove());
}

function patchNode(old, next) {
  if (old.isEqualNode(next)) return;
  if (old.nodeName !== next.nodeName) {
    old.replaceWith(next);
    return;
  }
  if (old.nodeType === Node.TEXT_NODE) {
    old.data = next.data; // a new element for it would have the whole table laid out again
    return;
  }
  for (const { name } of [...old.attributes]) if (!next.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of next.attributes)
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  patchChildren(old, next);
}

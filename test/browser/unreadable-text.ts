/** Evaluated in a page: what cannot be read in its window. Long words, ids and code may break. */
export const findUnreadable = `(() => {
  const found = []
  const root = document.documentElement
  if (root.scrollWidth > root.clientWidth) found.push(root.scrollWidth - root.clientWidth + ' px too wide')
  for (const element of document.querySelectorAll('main *, header *')) {
    const { overflowX, textOverflow } = getComputedStyle(element)
    const isCut = ['hidden', 'clip'].includes(overflowX) && element.scrollWidth > element.clientWidth + 1
    const isMeant = element.classList.contains('visually-hidden') || textOverflow === 'ellipsis'
    const text = element.innerText?.trim()
    if (isCut && !isMeant && text) found.push('cut off: ' + text.slice(0, 40))
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    if (node.parentElement?.closest('code, bdi, .visually-hidden')) continue
    for (const { index, 0: word } of node.textContent.matchAll(/(?<![A-Za-z])[A-Za-z]{2,14}(?![A-Za-z])/g)) {
      const range = document.createRange()
      range.setStart(node, index)
      range.setEnd(node, index + word.length)
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
      if (lines.size > 1) found.push('broken: ' + word)
    }
  }
  return found
})()`

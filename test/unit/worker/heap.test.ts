import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'

/** Its heap in MB at its largest, while objects live as long as those of a page and hold 16 MB together. */
function largestHeap(before: string): number {
  const script = `
    import { getHeapSpaceStatistics } from 'node:v8'
    ${before}
    const held = []
    let largest = 0
    for (let page = 0; page < 3000; page++) {
      held.push(Array.from({ length: 1000 }, (_, index) => ({ index, page, text: 'x' + index })))
      if (held.length > 100) held.shift()
      const size = (wanted) => getHeapSpaceStatistics().find(({ space_name: name }) => name === wanted).space_size
      largest = Math.max(largest, size('new_space') + size('old_space'))
    }
    console.log(largest / 2 ** 20)`
  return Number(
    execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' }),
  )
}

it('the heap stays small where the engine would let it grow', () => {
  const heap = new URL('../../../functions/worker/heap.ts', import.meta.url).href
  const kept = largestHeap(`import { keepHeapSmall } from '${heap}'; keepHeapSmall()`)
  expect(kept).toBeGreaterThan(10)
  expect(kept).toBeLessThan(largestHeap('') / 2)
})

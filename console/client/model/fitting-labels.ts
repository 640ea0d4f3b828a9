/** Where a label or an axis is, in pixels. */
interface Extent {
  readonly left: number
  readonly right: number
}

/** Which labels of an axis are shown: every one, every second one and so on, so that none overlaps or is cut. */
export function fittingLabels(labels: readonly Extent[], axis: Extent): boolean[] {
  const whole = labels.map(({ left, right }) => left >= axis.left && right <= axis.right)
  const fits = (step: number) =>
    labels.every((label, index) => {
      const next = labels[index + step]
      return index % step > 0 || !next || !whole[index + step] || label.right <= next.left
    })
  const step = labels.findIndex((_, index) => fits(index + 1)) + 1
  return whole.map((isWhole, index) => isWhole && index % step === 0)
}

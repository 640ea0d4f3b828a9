import type { RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** Until the element is measured. */
const initialWidth = 480

/** The width of an element in pixels, as it changes. */
export function useWidth(): [element: RefObject<HTMLDivElement | null>, width: number] {
  const element = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(initialWidth)
  useLayoutEffect(() => {
    const { current } = element
    if (!current) return undefined
    setWidth(current.clientWidth || initialWidth)
    const observer = new ResizeObserver(() => setWidth(current.clientWidth || initialWidth))
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return [element, width]
}

import { createContext } from 'preact'
import { useContext, useEffect, useRef } from 'preact/hooks'
import type { RunRow } from '../contract.ts'

/** Tells screen readers what changed without moving the focus. */
export const Announce = createContext<(text: string) => void>(() => {})

/** Announces a run's progress in steps of ten percent, and its end. */
export function useRunAnnouncements(run: RunRow | null | undefined): void {
  const announce = useContext(Announce)
  const last = useRef('')
  const text = run ? runText(run) : ''
  useEffect(() => {
    if (text !== '' && last.current !== '' && text !== last.current) announce(text)
    last.current = text
  }, [text, announce])
}

function runText({ entity, status, percent, documents }: RunRow): string {
  if (status !== 'running') return `${entity}: ${status}, ${documents} documents`
  return percent === null ? `${entity}: running` : `${entity}: ${Math.floor(percent / 10) * 10}%`
}

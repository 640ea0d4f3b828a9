import { createContext } from 'preact'
import { useContext, useEffect, useRef } from 'preact/hooks'
import type { RunRow } from '../contract/run.ts'
import { announcementOf, isNews } from './model/run-facts.ts'

/** Tells screen readers what changed without moving the focus. */
export const Announce = createContext<(text: string) => void>(() => {})

/** Announces a run's progress in steps of ten percent, and its end. */
export function useRunAnnouncements(run: RunRow | null | undefined): void {
  const announce = useContext(Announce)
  const last = useRef('')
  const text = run ? announcementOf(run) : ''
  useEffect(() => {
    if (isNews(last.current, text)) announce(text)
    last.current = text
  }, [text, announce])
}

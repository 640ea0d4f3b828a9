import type { Freshness, RunStatus } from '../../contract.ts'
import { formatRoughDuration } from '../model/format.ts'

type Tone = 'good' | 'warning' | 'problem' | 'active' | 'neutral'

const tones: Readonly<Record<RunStatus, Tone>> = {
  running: 'active',
  waiting: 'active',
  publishing: 'active',
  published: 'good',
  refused: 'problem',
  failed: 'problem',
  cancelled: 'warning',
  skipped: 'neutral',
}

export const Badge = ({ tone, text }: { tone: Tone; text: string }) => (
  <span class={`badge ${tone}`}>{text}</span>
)

export const StatusBadge = ({ status }: { status: RunStatus }) => <Badge tone={tones[status]} text={status} />

export function FreshnessBadge({ freshness }: { freshness: Freshness }) {
  switch (freshness.kind) {
    case 'never':
      return <Badge tone="problem" text="no snapshot" />
    case 'unscheduled':
      return <Badge tone="neutral" text={`${formatRoughDuration(freshness.ageMs)} old`} />
    case 'fresh':
      return <Badge tone="good" text={`fresh, ${formatRoughDuration(freshness.ageMs)} old`} />
    case 'stale':
      return <Badge tone="problem" text={`stale, ${formatRoughDuration(freshness.ageMs)} old`} />
  }
}

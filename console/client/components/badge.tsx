import type { RunStatus } from '../../contract/run-rows.ts'
import { statusTones, type Tone } from '../model/tones.ts'

export const Badge = ({ tone, text }: { tone: Tone; text: string }) => (
  <span class={`badge ${tone}`}>{text}</span>
)

export const StatusBadge = ({ status }: { status: RunStatus }) => (
  <Badge tone={statusTones[status]} text={status} />
)

import type { RunStatus } from '../../contract/run.ts'
import { type SnapshotBadge, statusTones, type Tone } from '../model/tones.ts'

export const Badge = ({ tone, text }: { tone: Tone; text: string }) => (
  <span class={`badge ${tone}`}>{text}</span>
)

/** The age follows the state, which is what a narrow column shows. */
export const SnapshotState = ({ state: { tone, text, age } }: { state: SnapshotBadge }) => (
  <>
    <Badge tone={tone} text={text} /> <span class="facts">{age}</span>
  </>
)

export const StatusBadge = ({ status }: { status: RunStatus }) => (
  <Badge tone={statusTones[status]} text={status} />
)

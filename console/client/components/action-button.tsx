import { useContext, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type {
  PauseRequest,
  PreviewResponse,
  PurgeRequest,
  ResultResponse,
  VerifyRequest,
} from '../../contract/api.ts'
import { About } from '../about.ts'
import { Announce } from '../announcer.tsx'
import {
  type ActionName,
  type ActionTarget,
  actions,
  type Entered,
  endText,
  isConfirmed,
  isPossible,
  nothingEntered,
  resolved,
  withChangesLabel,
} from '../model/actions.ts'
import { api, postJson, type RequestError } from '../request.ts'
import { useRequest } from '../use-request.ts'
import { CommandText } from './copy.tsx'
import { ErrorNotice } from './notice.tsx'

interface ActionButtonProps {
  readonly name: ActionName
  readonly target: ActionTarget
  readonly onDone: () => void
}

/** A button that asks for a confirmation, which explains what will happen. */
export function ActionButton({ name, target, onDone }: ActionButtonProps) {
  const [isOpen, setOpen] = useState(false)
  const { label, buttonClass } = actions[name]
  return (
    <>
      <button
        type="button"
        class={`act ${buttonClass ?? ''}`}
        disabled={!isPossible(name, target.runningRunId)}
        onClick={() => setOpen(true)}
      >
        {label}
      </button>
      {isOpen && <Confirmation name={name} target={target} onDone={onDone} onClose={() => setOpen(false)} />}
    </>
  )
}

function Confirmation({ name, target, onDone, onClose }: ActionButtonProps & { onClose: () => void }) {
  const action = actions[name]
  const { title, explanation, args, fields = [], hasPreview } = action
  const { confirm = action.label, confirmClass = 'primary' } = action
  const about = useContext(About)
  const [entered, setEntered] = useState(nothingEntered)
  const sent = resolved(entered, target)
  const dialog = useRef<HTMLDialogElement>(null)
  const announce = useContext(Announce)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<RequestError>()
  const [lines, setLines] = useState<readonly string[]>()

  useLayoutEffect(() => dialog.current?.showModal(), [])

  async function act() {
    setBusy(true)
    setError(undefined)
    try {
      const result = await perform(name, target, sent)
      announce(`${confirm}: done`)
      if ('lines' in result) setLines(result.lines)
      else dialog.current?.close()
      onDone()
    } catch (failure) {
      setError(failure as RequestError)
      setBusy(false)
    }
  }

  if (lines)
    return (
      <dialog ref={dialog} aria-labelledby="confirmation-title" onClose={onClose}>
        <h2 id="confirmation-title">{confirm}: done</h2>
        {lines.map((line) => (
          <p key={line}>{line}</p>
        ))}
        <div class="dialog-buttons">
          <button type="button" onClick={() => dialog.current?.close()}>
            Close
          </button>
        </div>
      </dialog>
    )
  return (
    <dialog ref={dialog} aria-labelledby="confirmation-title" onClose={onClose}>
      <h2 id="confirmation-title">{title(target.entity)}</h2>
      {explanation.map((text) => (
        <p key={text}>{text}</p>
      ))}
      {hasPreview && <Preview path={previewPath(target)} />}
      {fields.map(({ name: field, label, placeholder }) => (
        <label key={field} class="field">
          {label(target.entity)}
          <input
            placeholder={placeholder}
            maxLength={200}
            value={entered[field]}
            onInput={({ currentTarget: { value } }) => setEntered({ ...entered, [field]: value })}
          />
          {field === 'until' && endText(entered, target)}
        </label>
      ))}
      {target.mayAcceptChanges && (
        <label class="check">
          <input
            type="checkbox"
            checked={entered.withChanges}
            onChange={({ currentTarget: { checked } }) => setEntered({ ...entered, withChanges: checked })}
          />
          {withChangesLabel}
        </label>
      )}
      {about && (
        <>
          <p>This command does the same:</p>
          <CommandText text={about.commandLine.replace('ARGS', () => args(target, sent))} />
        </>
      )}
      {error && <ErrorNotice error={error} />}
      <div class="dialog-buttons">
        <button type="button" onClick={() => dialog.current?.close()}>
          Back
        </button>
        <button
          type="button"
          class={confirmClass}
          disabled={isBusy || !isConfirmed(name, target, entered)}
          onClick={() => void act()}
        >
          {isBusy ? 'Working…' : confirm}
        </button>
      </div>
    </dialog>
  )
}

/** What the action would do. */
function Preview({ path }: { path: string }) {
  const { data, error } = useRequest<PreviewResponse>(path)
  if (error) return <ErrorNotice error={error} />
  return <p class="preview">{data ? data.text : 'Reading what this would change…'}</p>
}

const previewPath = ({ entity, runId }: ActionTarget) =>
  runId === undefined ? api`/orphans/${entity}` : api`/entities/${entity}/snapshots/${runId}/republish`

function perform(
  name: ActionName,
  { entity, runningRunId = '', runId = '', refusal }: ActionTarget,
  { reason, until, withChanges, name: entered }: Entered,
): Promise<object | ResultResponse> {
  switch (name) {
    case 'start':
      return postJson(api`/entities/${entity}/start`)
    case 'increment':
      return postJson(api`/entities/${entity}/start`, { increment: true })
    case 'cancel':
      return postJson(api`/entities/${entity}/runs/${runningRunId}/cancel`)
    case 'accept':
      return postJson(api`/entities/${entity}/runs/${runId}/accept`, { withChanges, ...refusal })
    case 'pause':
      return postJson(api`/entities/${entity}/pause`, { reason, until } satisfies PauseRequest)
    case 'resume':
      return postJson(api`/entities/${entity}/resume`)
    case 'republish':
      return postJson(api`/entities/${entity}/snapshots/${runId}/republish`)
    case 'verify':
    case 'repair': {
      const repair = name === 'repair'
      return postJson(api`/entities/${entity}/verify`, { repair } satisfies VerifyRequest)
    }
    case 'purge':
      return postJson(api`/orphans/${entity}/purge`, { name: entered } satisfies PurgeRequest)
  }
}

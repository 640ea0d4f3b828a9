import { useContext, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { PreviewResponse, ResultResponse } from '../../contract/api.ts'
import { About } from '../about.ts'
import { Announce } from '../announcer.tsx'
import {
  type ActionName,
  type ActionTarget,
  actions,
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
  const { title, explanation, args, request, fields = [], hasPreview } = action
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
      const result = await postJson<object | ResultResponse>(...request(target, sent))
      announce(`${confirm}: done`)
      if ('lines' in result) setLines(result.lines)
      else dialog.current?.close()
      onDone()
    } catch (failure) {
      setError(failure as RequestError)
      setBusy(false)
    }
  }

  const content = lines ? (
    lines.map((line) => <p key={line}>{line}</p>)
  ) : (
    <>
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
    </>
  )
  return (
    <dialog ref={dialog} aria-labelledby="confirmation-title" onClose={onClose}>
      <h2 id="confirmation-title">{lines ? `${confirm}: done` : title(target.entity)}</h2>
      {content}
      <div class="dialog-buttons">
        <button type="button" onClick={() => dialog.current?.close()}>
          {lines ? 'Close' : 'Back'}
        </button>
        {!lines && (
          <button
            type="button"
            class={confirmClass}
            disabled={isBusy || !isConfirmed(name, target, entered)}
            onClick={() => void act()}
          >
            {isBusy ? 'Working…' : confirm}
          </button>
        )}
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

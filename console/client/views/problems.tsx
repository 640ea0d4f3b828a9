import type { ProblemRow } from '../../contract/overview.ts'
import { ActionButton } from '../components/action-button.tsx'
import { CommandText } from '../components/copy.tsx'
import { Badge, TextWithTimes, When } from '../components/inline.tsx'
import { plural } from '../model/format.ts'
import { problemAction, problemsTitle, problemTone, runLink } from '../model/problem-texts.ts'
import { links } from '../model/route.ts'

interface ProblemsProps {
  readonly items: readonly ProblemRow[]
  readonly now: string
  /** After an action. Without it there are no buttons: the page of an entity has its own. */
  readonly onDone?: (() => void) | undefined
}

/** What needs a person, the most urgent first, then notes; one line if nothing does. */
export const Problems = ({ items, now, onDone }: ProblemsProps) => (
  <section aria-labelledby="attention">
    <h2 id="attention">{problemsTitle(items)}</h2>
    <ul class="findings">
      {items.map((item) => (
        <Item
          key={`${item.kind} ${item.level} ${item.entities.join(' ')}`}
          item={item}
          now={now}
          onDone={onDone}
        />
      ))}
    </ul>
  </section>
)

function Item({ item, now, onDone }: Omit<ProblemsProps, 'items'> & { readonly item: ProblemRow }) {
  const { kind, entities, since, evidence, action, command } = item
  const [entity] = entities
  const isOne = entity !== undefined && entities.length === 1
  const name = problemAction(item)
  const run = runLink(item)
  // It is not configured, so it has no page.
  const isOrphan = kind === 'orphaned-data'
  return (
    <li>
      <Badge tone={problemTone(item)} text={kind.replaceAll('-', ' ')} />
      <div>
        <p>
          {isOne && !isOrphan ? (
            <a href={links.entity(entity)}>{entity}</a>
          ) : (
            entities.length > 0 && (
              <span>{isOne ? entity : plural(entities.length, 'entity', 'entities')}</span>
            )
          )}
          {since !== null && (
            <span class="facts">
              {' '}
              since <When time={since} now={now} />
            </span>
          )}
        </p>
        <p>
          <TextWithTimes text={evidence} /> {run && <a href={run.href}>{run.text}</a>}
        </p>
        <p>
          <TextWithTimes text={action} />
        </p>
        {command !== null && <CommandText text={command} />}
        {entity !== undefined && name && onDone && (
          <p>
            <ActionButton name={name} target={{ entity }} onDone={onDone} />
          </p>
        )}
      </div>
    </li>
  )
}

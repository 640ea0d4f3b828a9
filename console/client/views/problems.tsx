import type { ProblemRow } from '../../contract/overview.ts'
import { ActionButton } from '../components/action-button.tsx'
import { Badge } from '../components/badge.tsx'
import { Command } from '../components/copy.tsx'
import { When } from '../components/time.tsx'
import { plural } from '../model/format.ts'
import { problemsTitle, problemTone, runLinkText } from '../model/problem-texts.ts'
import { links } from '../model/route.ts'

/** What needs a person, the most urgent first, then notes; one line if nothing does. */
export const Problems = ({ items, now }: { items: readonly ProblemRow[]; now: string }) => (
  <section aria-labelledby="attention">
    <h2 id="attention">{problemsTitle(items)}</h2>
    <ul class="findings">
      {items.map((item) => (
        <Item key={`${item.kind} ${item.level} ${item.entities.join(' ')}`} item={item} now={now} />
      ))}
    </ul>
  </section>
)

function Item({ item, now }: { item: ProblemRow; now: string }) {
  const { kind, entities, since, evidence, action, command, runId } = item
  const [entity] = entities
  const isOne = entity !== undefined && entities.length === 1
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
          {evidence} {isOne && runId !== null && <a href={links.run(entity, runId)}>{runLinkText(item)}</a>}
        </p>
        <p>{action}</p>
        {command !== null && <Command text={command} />}
        {isOne && isOrphan && command !== null && (
          <p>
            <ActionButton name="purge" target={{ entity }} onDone={() => undefined} />
          </p>
        )}
      </div>
    </li>
  )
}

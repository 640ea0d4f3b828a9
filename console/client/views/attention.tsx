import type { AttentionRow } from '../../contract/overview.ts'
import { Badge } from '../components/badge.tsx'
import { Command } from '../components/copy.tsx'
import { When } from '../components/time.tsx'
import { attentionTitle, attentionTone } from '../model/attention-title.ts'
import { links } from '../model/route.ts'

/** What waits for a person, the most urgent first; one line if nothing does. */
export const Attention = ({ items, now }: { items: readonly AttentionRow[]; now: string }) => (
  <section aria-labelledby="attention">
    <h2 id="attention">{attentionTitle(items)}</h2>
    <ul class="findings">
      {items.map((item) => (
        <Item key={`${item.kind} ${item.entities.join(' ')}`} item={item} now={now} />
      ))}
    </ul>
  </section>
)

function Item({ item, now }: { item: AttentionRow; now: string }) {
  const { kind, entities, since, details } = item
  const [entity] = entities
  const isOne = entity !== undefined && entities.length === 1
  return (
    <li>
      <Badge tone={attentionTone(item)} text={kind.replaceAll('-', ' ')} />
      <div>
        <p>
          {isOne ? (
            <a href={links.entity(entity)}>{entity}</a>
          ) : (
            entities.length > 1 && <span>{entities.length} entities</span>
          )}
          {since !== null && (
            <span class="facts">
              {' '}
              since <When time={since} now={now} />
            </span>
          )}
        </p>
        {details && (
          <>
            <p>
              {details.evidence}{' '}
              {isOne && details.runId !== null && <a href={links.run(entity, details.runId)}>See the run</a>}
            </p>
            <p>{details.action}</p>
            <Command text={details.command} />
          </>
        )}
      </div>
    </li>
  )
}

import type { EvidenceResponse } from '../../contract/snapshots.ts'
import { Notice, Pending } from '../components/notice.tsx'
import { links } from '../model/route.ts'
import { api } from '../request.ts'
import { useRequest } from '../use-request.ts'

/** What a snapshot is proven from, as plain tables that can be printed. */
export function EvidencePage({ entity, runId }: { entity: string; runId: string }) {
  const title = `Evidence of ${entity}`
  const { data, error } = useRequest<EvidenceResponse>(api`/entities/${entity}/snapshots/${runId}/evidence`)
  if (!data) return <Pending title={title} error={error} />
  const { state, text, sections } = data
  return (
    <>
      <h1>{title}</h1>
      <p class="subtitle">
        <a href={links.run(entity, runId)}>{runId}</a>
      </p>
      {sections.map((section) => (
        <section key={section.title} aria-label={section.title}>
          <h2>{section.title}</h2>
          <table class="evidence">
            <tbody>
              {section.facts.map(([name, value], index) => (
                <tr key={`${name} ${index}`}>
                  <th scope="row">{name}</th>
                  <td>
                    <bdi>{value}</bdi>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {section.reasons.map((reason) => (
            <p key={reason}>{reason}</p>
          ))}
        </section>
      ))}
      {state === 'intact' ? (
        <p>{text}</p>
      ) : (
        <Notice tone={state === 'damaged' ? 'problem' : 'info'} title={text} />
      )}
    </>
  )
}

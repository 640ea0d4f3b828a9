import type { ComponentChildren } from 'preact'
import { Term } from './term.tsx'

type Fact = readonly [name: string, value: ComponentChildren]

/** Names with their values, in as many columns as fit. */
export const FactsGrid = ({ facts }: { facts: readonly Fact[] }) => (
  <dl class="facts-grid">
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>
          <Term word={name} />
        </dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

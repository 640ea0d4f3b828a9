import { links } from '../model/route.ts'

const tabs = [
  { name: 'Runs', href: links.entity },
  { name: 'Snapshots', href: links.snapshots },
  { name: 'Changes', href: links.changes },
  { name: 'Schema', href: links.schema },
] as const

/** The views of an entity. */
export const EntityTabs = ({
  entity,
  current,
}: {
  entity: string
  current: (typeof tabs)[number]['name']
}) => (
  <nav class="tabs" aria-label={`Views of ${entity}`}>
    {tabs.map(({ name, href }) => (
      <a key={name} href={href(entity)} aria-current={name === current ? 'page' : undefined}>
        {name}
      </a>
    ))}
  </nav>
)

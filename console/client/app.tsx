import type { ComponentType } from 'preact'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import type { AboutResponse } from '../contract/api.ts'
import { About } from './about.ts'
import { Announce } from './announcer.tsx'
import { Connection, ConnectionBanner, useConnectionState } from './connection.tsx'
import { zoneText } from './model/format.ts'
import { crumbsOf, links, parseRoute, type Route, titleOf } from './model/route.ts'
import { type ShownZone, showTimesIn } from './model/shown-zone.ts'
import { useRequest } from './use-request.ts'
import { Changes } from './views/changes.tsx'
import { DocumentPage } from './views/document.tsx'
import { EntityPage } from './views/entity.tsx'
import { Overview } from './views/overview.tsx'
import { EvidencePage, RunPage } from './views/run.tsx'
import { Schema } from './views/schema.tsx'
import { Snapshots } from './views/snapshots.tsx'
import { Timeline } from './views/timeline.tsx'

export function App() {
  const route = useRoute()
  const main = useRef<HTMLElement>(null)
  const [announcement, setAnnouncement] = useState('')
  const [zone, setZone] = useZone()
  const connection = useConnectionState()
  const { data: about } = useRequest<AboutResponse>('/about')
  const isFirst = useRef(true)
  const place = JSON.stringify(route)

  useEffect(() => {
    if (!isFirst.current) {
      main.current?.focus()
      window.scrollTo(0, 0)
    }
    isFirst.current = false
    document.title = titleOf(route)
  }, [place])

  return (
    <Announce.Provider value={setAnnouncement}>
      <Connection.Provider value={connection.report}>
        <About.Provider value={about}>
          <button type="button" class="skip-link" onClick={() => main.current?.focus()}>
            Skip to content
          </button>
          <header class="top">
            <a href={links.overview()} class="brand">
              Longshore
            </a>
            <nav aria-label="Path">
              <Breadcrumbs route={route} />
            </nav>
            <Pages zone={zone} onZone={setZone} />
          </header>
          <ConnectionBanner state={connection.state} />
          <main ref={main} tabIndex={-1} key={`${zone} ${place}`} class={connection.state.text && 'outdated'}>
            <View route={route} />
          </main>
          <div class="visually-hidden" role="status">
            {announcement}
          </div>
        </About.Provider>
      </Connection.Provider>
    </Announce.Provider>
  )
}

const views: { readonly [V in Route['view']]: ComponentType<Omit<Extract<Route, { view: V }>, 'view'>> } = {
  overview: Overview,
  timeline: Timeline,
  entity: EntityPage,
  run: RunPage,
  evidence: EvidencePage,
  snapshots: Snapshots,
  document: DocumentPage,
  changes: Changes,
  schema: Schema,
  'not-found': () => (
    <>
      <h1>This page does not exist.</h1>
      <p>
        <a href={links.overview()}>Go to the overview</a>
      </p>
    </>
  ),
}

/** A view takes what else its route has. */
function View({ route: { view, ...route } }: { route: Route }) {
  const Page = views[view] as ComponentType<typeof route>
  return <Page {...route} />
}

/** What every page links to, and the time zone of every time that they show. */
function Pages({ zone, onZone }: { zone: ShownZone; onZone: (zone: ShownZone) => void }) {
  const data = useContext(About)
  return (
    <nav class="pages" aria-label="Pages">
      <a href={links.timeline()}>Timeline</a>
      {data?.referencePath && <a href={data.referencePath}>API reference</a>}
      <label class="zone">
        Times in{' '}
        <select
          value={zoneText(Date.now()) === 'UTC' ? 'local' : zone}
          onChange={({ currentTarget }) => onZone(currentTarget.value === 'utc' ? 'utc' : 'local')}
        >
          <option value="local">{zoneText(Date.now())}</option>
          {zoneText(Date.now()) !== 'UTC' && <option value="utc">UTC</option>}
        </select>
      </label>
    </nav>
  )
}

const zoneKey = 'longshore-times'

/** The zone that was chosen last in this browser. */
function useZone(): [ShownZone, (zone: ShownZone) => void] {
  const [zone, setZone] = useState<ShownZone>(localStorage.getItem(zoneKey) === 'utc' ? 'utc' : 'local')
  showTimesIn(zone)
  const choose = (chosen: ShownZone) => {
    localStorage.setItem(zoneKey, chosen)
    setZone(chosen)
  }
  return [zone, choose]
}

function Breadcrumbs({ route }: { route: Route }) {
  const crumbs = crumbsOf(route)
  return (
    <ol class="breadcrumbs">
      {crumbs.map(({ text, href }, index) => (
        <li key={href}>
          {index === crumbs.length - 1 ? <span aria-current="page">{text}</span> : <a href={href}>{text}</a>}
        </li>
      ))}
    </ol>
  )
}

function useRoute(): Route {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const onChange = () => setHash(location.hash)
    window.addEventListener('hashchange', onChange)
    return () => window.removeEventListener('hashchange', onChange)
  }, [])
  return parseRoute(hash)
}

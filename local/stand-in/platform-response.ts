import type { Area } from '../../functions/platform/areas.ts'

/** The platform's response before a fault changes it. */
export interface PlatformResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export function platformJson(value: unknown, status = 200): PlatformResponse {
  return { ...jsonBytes(Buffer.from(JSON.stringify(value))), status }
}

export function jsonBytes(body: Buffer, headers: Record<string, string> = {}): PlatformResponse {
  return { status: 200, headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers }, body }
}

/** A refusal in the form of its area: error bodies differ by area in the field. */
export function refusalResponse(area: Area | undefined, status: number, message: string): PlatformResponse {
  if (area === undefined) {
    return { status, headers: { 'Content-Type': 'text/plain' }, body: Buffer.from(message) }
  }
  const forms: Readonly<Record<Area, unknown>> = {
    logistics: { error: { code: String(status), message, exception: null } },
    documents: { Message: message },
  }
  return platformJson(forms[area] ?? { code: status, message }, status)
}

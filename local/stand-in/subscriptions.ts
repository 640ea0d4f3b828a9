import { isObject, parseJson } from '../../functions/runtime/json-object.ts'
import { type PlatformResponse, platformJson, refusalResponse } from './platform-response.ts'
import type { PlatformRequest } from './received-request.ts'

type JsonObject = Record<string, unknown>

export interface SubscriptionItem extends JsonObject {
  SubscriptionId?: string
  sku?: { id?: string }
  quantity?: number
}

export interface SubscriptionGroup extends JsonObject {
  item: SubscriptionItem[]
}

/**
 * Interface section 4.2. An item with a `SubscriptionId` of the group changes that item. Any other item adds its
 * quantity to what the group has of the SKU, so sending the same body twice adds twice.
 */
export function patchGroup(
  groups: Map<string, SubscriptionGroup>,
  request: PlatformRequest,
): PlatformResponse {
  const group = groups.get(request.name)
  if (!group) return refusalResponse('subscriptions', 404, `Subscription group ${request.name} not found`)
  const patch = bodyOf(request)
  if (!patch) return refusalResponse('subscriptions', 400, 'The body must be a JSON object')
  const { item: items = [], ...rest } = patch
  if (!Array.isArray(items)) return refusalResponse('subscriptions', 400, 'item must be an array')
  Object.assign(group, rest)
  for (const change of items as SubscriptionItem[]) {
    const named = group.item.find(
      (item) => change.SubscriptionId && item.SubscriptionId === change.SubscriptionId,
    )
    const sameSku = group.item.find((item) => item.sku?.id === change.sku?.id)
    if (named) Object.assign(named, change)
    else if (sameSku) sameSku.quantity = (sameSku.quantity ?? 0) + (change.quantity ?? 0)
    else group.item.push({ SubscriptionId: `${request.name}-${group.item.length + 1}`, ...change })
  }
  return platformJson(group)
}

/** Interface section 4.3: `item` is one object, and its fields change one by one. */
export function patchSubscription(
  subscriptions: Map<string, JsonObject>,
  request: PlatformRequest,
): PlatformResponse {
  const subscription = subscriptions.get(request.name)
  if (!subscription) return refusalResponse('subscriptions', 404, `Subscription ${request.name} not found`)
  const patch = bodyOf(request)
  if (!patch) return refusalResponse('subscriptions', 400, 'The body must be a JSON object')
  const { item, ...rest } = patch
  if (item !== undefined && !isObject(item))
    return refusalResponse('subscriptions', 400, 'item must be an object')
  Object.assign(subscription, rest)
  if (item) subscription['item'] = { ...(subscription['item'] as JsonObject | undefined), ...item }
  return platformJson(subscription)
}

function bodyOf(request: PlatformRequest): JsonObject | undefined {
  const value = parseJson(request.body.toString())
  return isObject(value) ? value : undefined
}

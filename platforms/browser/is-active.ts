/**
 * Whether requests can be made in the transaction of an object store now, that is, in the callback of one. Nobody else can have changed what an active
 * transaction sees. A request without a key is refused either way, for one reason or the other, and costs nothing.
 */
export function isActive(store: IDBObjectStore): boolean {
  try {
    store.get(undefined as unknown as IDBValidKey)
    return true
  } catch (error) {
    return (error as DOMException).name === 'DataError'
  }
}

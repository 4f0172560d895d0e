/** The tool of a project cannot be had on this machine. */
export class NotAvailable extends Error {}

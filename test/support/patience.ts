/** How long tests wait for what must happen. Only something broken reaches it, however slow the machine. */
export const patienceMs = 600_000

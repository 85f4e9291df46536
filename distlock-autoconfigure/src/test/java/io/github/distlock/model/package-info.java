/**
 * An explicit-state model of the Redis protocol: breadth-first search over all
 * interleavings of a few JVMs, one server and a bounded number of faults. A change of the
 * protocol first becomes a state here.
 * <p>
 * <b>What is modelled.</b> One key with its value, its queue and its claim. The scripts
 * are atomic and keep the structure of the Lua files. Each JVM has one
 * {@link io.github.distlock.model.KeyEntry}, or one for each fair caller. Commands and
 * replies are separate steps, and each can be lost, late or repeated. A command that
 * timed out is sent again, and the old one may still be executed. Messages arrive in any
 * order, late or never. Time passes in ticks, and only when nothing is due, except for a
 * bounded number of slow ticks: network delay, a paused JVM, a slow server. All clocks
 * run at one rate. Faults and slow ticks have budgets.
 * <p>
 * <b>Background release.</b> A holder has left as soon as its release was sent. The
 * searches show that these rules are sufficient, and the flaws that each is necessary:
 * <ol>
 * <li>Each attempt after a release has a new ticket.</li>
 * <li>A release is repeated until it is answered, with the same ticket and token.</li>
 * <li>On a connection that keeps order, the next attempt may be sent directly behind a
 * release that was sent once. Otherwise, and after a release that was not answered in
 * time, it waits for the answer.</li>
 * <li>A ticket that a release has queued neither attempts nor leaves before that release
 * is answered. Other tickets do not wait for each other.</li>
 * <li>A ticket whose attempt was never answered is cancelled once more after it has
 * left.</li>
 * </ol>
 * <p>
 * <b>Native commands</b> replace the value of the lock if it is exactly what the client
 * expects, and may be mixed with scripts. A tombstone is unique, since tokens rise: a
 * late copy of an attempt that replaces one finds another value. Only a definite answer
 * lets a client send the script instead; after none, the attempt counts as unanswered.
 * Behind a native release that is not answered, only a native attempt may be sent: the
 * script of a refused release follows later, and a script attempt before it would be
 * refused by the ticket of its own JVM.
 * <p>
 * <b>A JVM that gets no messages</b> is refused for some ticks before it asks for a place
 * in the queue. Its place is not counted: a grant to it lasts for a short grace, until
 * the JVM asks again, which makes it a whole lease. No two such places follow each other.
 * A stray copy may leave such a place behind, which therefore must not count when its JVM
 * has not been seen. Such a JVM may be unable to publish, so that its releases notify no
 * other JVM; and it may get messages again at any time.
 * <p>
 * <b>Properties.</b> Those of the design: S1 exclusion, S2 rising fencing tokens, S3 a
 * ticket that is not the owner changes nothing, S4 a script may be executed twice, S5 a
 * ticket that was given up does not keep the lock for a lease, S7 nothing is left over,
 * S8 a waiting JVM is overtaken by one turn of each other JVM at most, L1 a waiter gets a
 * free lock within a bound, L2 a waiter does not spin, L3 a JVM that gets no messages and
 * was refused for long has a place, or the lock, unless another such place is the last in
 * the queue; the invariant of the value in {@code base.lua}; and, without a fault, an
 * attempt is not refused by a ticket that its own JVM has released.
 * <p>
 * <b>What is not.</b> Re-entry, asynchronous callers, callers that try once, several
 * keys, readers and writers, minimum hold times, a shutdown, errors inside a script, fair
 * callers that retry for each other, and the time at which an uncounted ticket was last
 * seen. A complete search is complete for its size and its budgets only.
 */
@NullMarked
package io.github.distlock.model;

import org.jspecify.annotations.NullMarked;

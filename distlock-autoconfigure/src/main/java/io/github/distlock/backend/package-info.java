/**
 * The SPI: what a lock store must be able to do. It has four commands, called verbs
 * (attempt, release, cancel and renew), whose answers are stages, and signals to the JVM.
 * A store implements {@link io.github.distlock.backend.LockBackend}, which describes and
 * opens it, and {@link io.github.distlock.backend.LockStore}, the open store. The
 * packages waiting, renewal and registry call them. A store does not know waiting
 * threads, reentrancy or annotations.
 * <p>
 * The contract. Each sentence is a test of the contract suite:
 * <ul>
 * <li>a free lock is granted to an attempt</li>
 * <li>a held lock is not granted to another ticket</li>
 * <li>an attempt repeated with the ticket that holds gives the same token again</li>
 * <li>an attempt repeated by a waiting ticket queues it once</li>
 * <li>a released lock goes to the longest waiting ticket, which is signalled</li>
 * <li>release answers gone for a ticket that does not hold, and changes nothing</li>
 * <li>a release that queues the next ticket answers what an attempt would</li>
 * <li>a cancelled ticket is never granted the lock</li>
 * <li>a cancelled ticket that was granted meanwhile is released</li>
 * <li>a lease that is not renewed ends</li>
 * <li>a lock whose lease has ended goes to the longest waiting ticket</li>
 * <li>a renewed lease continues</li>
 * <li>a lease is renewed whatever its neighbours in the batch look like</li>
 * <li>renewal of a ticket that does not hold answers gone</li>
 * <li>tokens strictly increase from holder to holder</li>
 * <li>tokens still increase after the key has been forgotten</li>
 * <li>keys that differ in a byte of their UTF-8 are different locks</li>
 * <li>each verb sent twice is as if it had been sent once</li>
 * <li>nothing is left in the store when no ticket holds or waits</li>
 * </ul>
 * If the store supports readers, also:
 * <ul>
 * <li>readers hold together, each with a lease and a higher token of its own</li>
 * <li>a waiting writer keeps later readers out until it leaves or gives up</li>
 * <li>readers behind a writer are granted the lock together</li>
 * <li>a dead reader costs at most its lease</li>
 * <li>if it supports permits, a ticket with permits enters only while fewer readers than
 * these hold the lock by their leases, and no ticket that arrives later overtakes it</li>
 * </ul>
 */
@NullMarked
package io.github.distlock.backend;

import org.jspecify.annotations.NullMarked;

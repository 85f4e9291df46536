import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;

class MemoryLockBackend implements LockBackend {

    private static final BackendDescription DESCRIPTION = new BackendDescription("memory",
            Set.of(LockMode.EXCLUSIVE), false, true, 1, Duration.ZERO, 100);

    private final Server server;

    private final TimeSource clock;

    MemoryLockBackend(Server server, TimeSource clock) {
        this.server = server;
        this.clock = clock;
    }

    @Override
    public BackendDescription description() {
        return DESCRIPTION;
    }

    @Override
    public LockStore open(StoreContext context) {
        return new MemoryLockStore(this.server, this.clock);
    }

    /** Backends that are to exclude each other share one. */
    static class Server {

        final Map<String, Owner> owners = new ConcurrentHashMap<>();

        private final AtomicLong lastToken = new AtomicLong();

        /** Rises, after a restart of the JVM, too. */
        long nextToken() {
            long micros = System.currentTimeMillis() * 1000;
            return this.lastToken.updateAndGet((last) -> Math.max(last + 1, micros));
        }

    }

    record Owner(Ticket ticket, long token, long endNanos) {

        boolean hasEnded() {
            return this.endNanos - System.nanoTime() <= 0;
        }

        boolean isHeldBy(Ticket other) {
            return this.ticket.equals(other) && !hasEnded();
        }

    }

}

class MemoryLockStore implements LockStore {

    private static final Duration RETRY = Duration.ofMillis(10);

    private final MemoryLockBackend.Server server;

    private final TimeSource clock;

    private volatile boolean closed;

    MemoryLockStore(MemoryLockBackend.Server server, TimeSource clock) {
        this.server = server;
        this.clock = clock;
    }

    @Override
    public String location() {
        return "the memory of this JVM";
    }

    @Override
    public void verify() {
        if (this.closed) {
            throw StoreCalls.closed("memory");
        }
    }

    @Override
    public CompletionStage<AttemptResult> attempt(Ticket ticket, Duration lease, boolean queue) {
        verify();
        // Before the command: the lease must not end in the store before it ends here.
        TimeSource.Instant sent = this.clock.now();
        MemoryLockBackend.Owner owner = this.server.owners.compute(ticket.key(), (key, current) ->
                (current != null && !current.hasEnded()) ? current
                        : new MemoryLockBackend.Owner(ticket, this.server.nextToken(), end(lease)));
        Duration remaining = Duration.ofNanos(Math.max(0, owner.endNanos() - System.nanoTime()));
        if (owner.ticket().equals(ticket)) {
            Grant grant = new Grant(owner.token(), owner.token(), Validity.until(sent, remaining));
            return CompletableFuture.completedFuture(grant);
        }
        return CompletableFuture.completedFuture(queue ? new AttemptResult.Queued(RETRY, false)
                : new AttemptResult.Busy(remaining));
    }

    @Override
    public CompletionStage<ReleaseResult> release(Ticket ticket, long lastToken, Successor next) {
        boolean released = remove(ticket);
        if (!released || next == null) {
            return CompletableFuture.completedFuture(new ReleaseResult(released, null));
        }
        return attempt(next.ticket(), next.lease(), true)
            .thenApply((answer) -> new ReleaseResult(true, answer));
    }

    @Override
    public CompletionStage<?> cancel(Ticket ticket) {
        return CompletableFuture.completedFuture(remove(ticket));
    }

    private boolean remove(Ticket ticket) {
        verify();
        MemoryLockBackend.Owner owner = this.server.owners.get(ticket.key());
        return owner != null && owner.isHeldBy(ticket) && this.server.owners.remove(ticket.key(), owner);
    }

    @Override
    public CompletionStage<List<RenewalResult>> renew(List<Renewal> renewals) {
        verify();
        return CompletableFuture.completedFuture(renewals.stream().map(this::renew).toList());
    }

    private RenewalResult renew(Renewal renewal) {
        TimeSource.Instant sent = this.clock.now();
        Ticket ticket = renewal.ticket();
        MemoryLockBackend.Owner owner = this.server.owners.computeIfPresent(ticket.key(), (key, current) ->
                (current.isHeldBy(ticket) && current.token() == renewal.lastToken())
                        // A late renewal does not shorten the lease.
                        ? new MemoryLockBackend.Owner(ticket, current.token(),
                                current.endNanos() + Math.max(0, end(renewal.lease()) - current.endNanos()))
                        : current);
        return (owner != null && owner.isHeldBy(ticket) && owner.token() == renewal.lastToken())
                ? new RenewalResult.Extended(Validity.until(sent, renewal.lease())) : new RenewalResult.Gone(false);
    }

    private static long end(Duration lease) {
        return System.nanoTime() + lease.toNanos();
    }

    @Override
    public void close() {
        this.closed = true;
    }

}

package io.github.distlock.backend.redis;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import org.jspecify.annotations.Nullable;

/**
 * The renewal of several leases by one script: all of them of readers, or none.
 *
 * @param renewals the leases
 * @param keys the names of the keys
 * @param tokensPerGrant the number of fencing tokens of a grant
 */
record RenewalScript(List<Renewal> renewals, RedisKeys keys, int tokensPerGrant) {

	/**
	 * Send the script.
	 * @param sent a moment before
	 * @return completes with the results, and never fails because of the server
	 */
	CompletionStage<Map<Renewal, RenewalResult>> send(RedisConnections connections, TimeSource.Instant sent) {
		boolean readers = this.renewals.get(0).ticket().isReader();
		List<String> names = new ArrayList<>();
		List<String> args = new ArrayList<>();
		for (Renewal renewal : this.renewals) {
			Ticket ticket = renewal.ticket();
			names.add(this.keys.lock(ticket.key()));
			if (readers) {
				names.add(this.keys.readers(ticket.key()));
				args.add(ticket.token());
				args.add(Long.toString(renewal.lastToken()));
			}
			else {
				args.add(ticket.token() + "|" + this.tokensPerGrant + "|"
						+ (renewal.lastToken() - this.tokensPerGrant + 1));
			}
			args.add(Long.toString(renewal.lease().toMillis()));
		}
		return connections.send("renewal", (this.renewals.size() == 1) ? this.renewals.get(0).ticket().key() : null,
				(commands) -> commands.run(readers ? Scripts.READ_RENEW : Scripts.RENEW, names,
						args.toArray(String[]::new)))
			.handle((held, failure) -> results(held, failure, sent));
	}

	private Map<Renewal, RenewalResult> results(String held, @Nullable Throwable failure, TimeSource.Instant sent) {
		Map<Renewal, RenewalResult> results = new IdentityHashMap<>();
		// One object for equal results: thousands of held locks keep a reference to it.
		RenewalResult unknown = (failure == null) ? null : new RenewalResult.Unknown(
				(StoreCalls.unwrap(failure) instanceof LockBackendException known) ? known : new LockBackendException(
						"The lock store failed in an unexpected way: " + failure, StoreCalls.unwrap(failure)),
				RedisServer.isRefusal(failure));
		RenewalResult.Extended shared = null;
		for (int i = 0; i < this.renewals.size(); i++) {
			Renewal renewal = this.renewals.get(i);
			if (unknown != null) {
				results.put(renewal, unknown);
				continue;
			}
			if (shared == null || shared.validity().ttlNanos() != renewal.lease().toNanos()) {
				shared = new RenewalResult.Extended(Validity.until(sent, renewal.lease()));
			}
			results.put(renewal, (held.charAt(i) == '1') ? shared : new RenewalResult.Gone(held.charAt(i) == '2'));
		}
		return results;
	}

}

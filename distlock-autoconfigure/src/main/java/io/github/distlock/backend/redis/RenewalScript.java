package io.github.distlock.backend.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;

/**
 * The renewal of several leases by one script: all of them of readers, or none.
 *
 * @param renewals the leases
 * @param answer the answer of the script
 */
record RenewalScript(List<Renewal> renewals, CompletionStage<String> answer) {

	/** Send the script. */
	static RenewalScript send(List<Renewal> renewals, RedisKeys keys, int tokensPerGrant,
			RedisConnections connections) {
		boolean readers = renewals.get(0).ticket().isReader();
		List<String> names = new ArrayList<>();
		List<String> args = new ArrayList<>();
		for (Renewal renewal : renewals) {
			Ticket ticket = renewal.ticket();
			names.add(keys.lock(ticket.key()));
			if (readers) {
				names.add(keys.readers(ticket.key()));
				args.add(ticket.token());
				args.add(Long.toString(renewal.lastToken()));
			}
			else {
				args.add(ticket.token() + "|" + tokensPerGrant + "|" + (renewal.lastToken() - tokensPerGrant + 1));
			}
			args.add(Long.toString(renewal.lease().toMillis()));
		}
		return new RenewalScript(renewals, connections.send((commands) -> commands
			.run(readers ? Scripts.READ_RENEW : Scripts.RENEW, names, args.toArray(String[]::new))));
	}

	/** Wait for the answer, and add the results. */
	void await(RedisConnections connections, TimeSource.Instant sent, Map<Renewal, RenewalResult> results) {
		try {
			answered(connections.await("renewal", null, this.answer), sent, results);
		}
		catch (LockBackendException ex) {
			RenewalResult unknown = new RenewalResult.Unknown(ex);
			this.renewals.forEach((renewal) -> results.put(renewal, unknown));
		}
	}

	private void answered(String held, TimeSource.Instant sent, Map<Renewal, RenewalResult> results) {
		// One object for equal results: thousands of held locks keep a reference to it.
		RenewalResult.Extended shared = null;
		for (int i = 0; i < this.renewals.size(); i++) {
			Renewal renewal = this.renewals.get(i);
			if (shared == null || shared.validity().ttlNanos() != renewal.lease().toNanos()) {
				shared = new RenewalResult.Extended(Validity.until(sent, renewal.lease()));
			}
			results.put(renewal, (held.charAt(i) == '1') ? shared : new RenewalResult.Gone(held.charAt(i) == '2'));
		}
	}

}

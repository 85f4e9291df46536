package io.github.distlock.backend.redis;

import java.util.ArrayList;
import java.util.List;

import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;

import org.springframework.data.redis.core.script.RedisScript;

/**
 * The renewal of several leases by one script: all of them of readers, or none.
 *
 * @param script the script
 * @param renewals the leases
 * @param names the names of the keys in Redis
 * @param args the arguments
 */
@SuppressWarnings("rawtypes")
record RenewalScript(RedisScript<List> script, List<Renewal> renewals, List<String> names, String[] args) {

	/** Before the number of tokens in the value of a grant that may be kept. */
	static final String MARK = "0";

	static RenewalScript of(List<Renewal> renewals, RedisKeys keys, int tokensPerGrant) {
		return renewals.get(0).ticket().isReader() ? ofReaders(renewals, keys)
				: ofOwners(renewals, keys, tokensPerGrant);
	}

	private static RenewalScript ofOwners(List<Renewal> renewals, RedisKeys keys, int tokensPerGrant) {
		List<String> names = new ArrayList<>(renewals.size());
		String[] args = new String[renewals.size() * 2];
		for (int i = 0; i < renewals.size(); i++) {
			Renewal renewal = renewals.get(i);
			names.add(keys.lock(renewal.ticket().key()));
			args[i * 2] = renewal.ticket().token() + "|" + (renewal.keepable() ? MARK : "") + tokensPerGrant + "|"
					+ (renewal.lastToken() - tokensPerGrant + 1);
			args[i * 2 + 1] = Long.toString(renewal.lease().toMillis());
		}
		return new RenewalScript(Scripts.RENEW, renewals, names, args);
	}

	private static RenewalScript ofReaders(List<Renewal> renewals, RedisKeys keys) {
		List<String> names = new ArrayList<>(renewals.size() * 2);
		String[] args = new String[renewals.size() * 3];
		for (int i = 0; i < renewals.size(); i++) {
			Renewal renewal = renewals.get(i);
			names.add(keys.lock(renewal.ticket().key()));
			names.add(keys.readers(renewal.ticket().key()));
			args[i * 3] = renewal.ticket().token();
			args[i * 3 + 1] = Long.toString(renewal.lastToken());
			args[i * 3 + 2] = Long.toString(renewal.lease().toMillis());
		}
		return new RenewalScript(Scripts.READ_RENEW, renewals, names, args);
	}

	/** Return the results for an answer of the script. */
	List<RenewalResult> answered(List<Long> answer, TimeSource.Instant sent) {
		List<RenewalResult> results = new ArrayList<>(this.renewals.size());
		// One object for equal results: thousands of held locks keep a reference to it.
		RenewalResult.Extended shared = null;
		for (int i = 0; i < this.renewals.size(); i++) {
			Renewal renewal = this.renewals.get(i);
			if (shared == null || shared.validity().ttlNanos() != renewal.lease().toNanos()) {
				shared = new RenewalResult.Extended(Validity.until(sent, renewal.lease()));
			}
			results.add((answer.get(i) == 1) ? shared : new RenewalResult.Gone(answer.get(i) == 2));
		}
		return results;
	}

	/** Return the results if there was no answer. */
	List<RenewalResult> unknown(RuntimeException cause) {
		RenewalResult unknown = new RenewalResult.Unknown(cause);
		return this.renewals.stream().map((renewal) -> unknown).toList();
	}

}

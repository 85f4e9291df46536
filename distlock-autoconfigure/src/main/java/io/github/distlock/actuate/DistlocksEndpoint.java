package io.github.distlock.actuate;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * {@link WebEndpoint @WebEndpoint} that says which locks are held and waited for, and
 * ends grants by hand. The caller decides what is shown, and each answer has its status.
 * Not over JMX, which knows no caller.
 */
@WebEndpoint(id = "distlocks", defaultAccess = Access.READ_ONLY)
public class DistlocksEndpoint {

	private final LockOperator operator;

	/**
	 * Create the endpoint.
	 * @param operator what can be read and ended
	 */
	public DistlocksEndpoint(LockOperator operator) {
		this.operator = operator;
	}

	/**
	 * Return all locks of this application, or what the store says about one lock.
	 * @param securityContext the caller
	 * @param limit the maximum length of each list
	 * @param key the key of a lock; without it, all locks of this application
	 * @param registry the name of the registry, needed if several know the key
	 * @return a {@link LocksDescriptor}, a {@link LockDescriptor} or a
	 * {@link RefusalDescriptor}
	 */
	@ReadOperation
	public WebEndpointResponse<OperationResponseBody> locks(SecurityContext securityContext, @Nullable Integer limit,
			@Nullable String key, @Nullable String registry) {
		return (key != null) ? lock(securityContext, new String[] { key }, registry, limit)
				: respond(() -> new WebEndpointResponse<>(this.operator.locks(securityContext, limit)));
	}

	/**
	 * Return what the store says about one lock.
	 * @param securityContext the caller
	 * @param key the segments of the key
	 * @param registry the name of the registry, needed if several know the key
	 * @param limit the maximum length of each list
	 * @return a {@link LockDescriptor} or a {@link RefusalDescriptor}
	 */
	@ReadOperation
	public WebEndpointResponse<OperationResponseBody> lock(SecurityContext securityContext,
			@Selector(match = Match.ALL_REMAINING) String[] key, @Nullable String registry, @Nullable Integer limit) {
		return respond(() -> {
			LockDescriptor lock = this.operator.lock(securityContext, String.join("/", key), registry, limit);
			// As with an unknown cache; the body tells a free lock from a wrong address.
			int status = lock.isKnown() ? WebEndpointResponse.STATUS_OK : WebEndpointResponse.STATUS_NOT_FOUND;
			return new WebEndpointResponse<>(lock, status);
		});
	}

	/**
	 * End a grant.
	 * @param securityContext the caller
	 * @param key the key of the lock
	 * @param registry the name of the registry
	 * @param token the grant token of the grant
	 * @return nothing or a {@link RefusalDescriptor}
	 */
	@DeleteOperation
	public WebEndpointResponse<OperationResponseBody> release(SecurityContext securityContext, @Nullable String key,
			@Nullable String registry, @Nullable Long token) {
		return respond(() -> {
			this.operator.release(securityContext, key, registry, token);
			return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT);
		});
	}

	/**
	 * End a grant.
	 * @param securityContext the caller
	 * @param key the segments of the key
	 * @param registry the name of the registry
	 * @param token the grant token of the grant
	 * @return nothing or a {@link RefusalDescriptor}
	 */
	@DeleteOperation
	public WebEndpointResponse<OperationResponseBody> releaseLock(SecurityContext securityContext,
			@Selector(match = Match.ALL_REMAINING) String[] key, @Nullable String registry, @Nullable Long token) {
		return release(securityContext, String.join("/", key), registry, token);
	}

	private static WebEndpointResponse<OperationResponseBody> respond(
			Supplier<WebEndpointResponse<OperationResponseBody>> operation) {
		try {
			return operation.get();
		}
		catch (RefusedOperationException ex) {
			return new WebEndpointResponse<>(new RefusalDescriptor(String.valueOf(ex.getMessage())), ex.status());
		}
	}

}

package io.github.distlock.transaction;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.util.ReflectionUtils;

/**
 * How a transaction begins around a method.
 *
 * @param interceptor begins it
 * @param attribute its attribute
 * @param type the class of the method
 */
public record Demarcation(TransactionInterceptor interceptor, TransactionAttribute attribute, Class<?> type) {

	private static final List<Integer> PROPAGATIONS = List.of(Propagation.REQUIRED.value(),
			Propagation.REQUIRES_NEW.value(), Propagation.MANDATORY.value());

	/** Return whether the transaction never joins a running one. */
	boolean isAlwaysNew() {
		return this.attribute.getPropagationBehavior() == Propagation.REQUIRES_NEW.value();
	}

	/**
	 * Return why the transaction cannot be a lock.
	 * @param takesLocks whether the transactions of a manager take locks
	 * @param highestIsolation the highest one that shows what the last holder has
	 * committed
	 * @return the reason and the remedy, {@code null} if it can
	 */
	@Nullable String problem(Predicate<TransactionManager> takesLocks, int highestIsolation) {
		return !PROPAGATIONS.contains(this.attribute.getPropagationBehavior())
				? "has a transaction that may not begin: make its propagation REQUIRED, REQUIRES_NEW or MANDATORY"
				: this.attribute.isReadOnly()
						? "has a read-only transaction, and some databases lock nothing in one: remove readOnly"
						: (this.attribute.getIsolationLevel() > highestIsolation)
								? "has a transaction whose isolation may not show what the last holder has committed:"
										+ " remove isolation"
								: takesLocks.test(manager()) ? null
										: "has a transaction manager that does not work with the DataSource of the store"
												+ " (distlock.jdbc.data-source, else the primary one), or tells no"
												+ " listener of its transactions: name another one in @Transactional";
	}

	/** What Spring begins the transaction with, by its own search, which is protected. */
	private TransactionManager manager() {
		Method search = Objects.requireNonNull(ReflectionUtils.findMethod(TransactionAspectSupport.class,
				"determineTransactionManager", TransactionAttribute.class, Class.class));
		ReflectionUtils.makeAccessible(search);
		return (TransactionManager) Objects
			.requireNonNull(ReflectionUtils.invokeMethod(search, this.interceptor, this.attribute, this.type));
	}

}

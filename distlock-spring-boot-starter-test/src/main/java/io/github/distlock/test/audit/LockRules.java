package io.github.distlock.test.audit;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.properties.CanBeAnnotated;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import io.github.distlock.DistributedLock;
import io.github.distlock.DistributedLocks;

/**
 * Rules for ArchUnit, which the application adds to its tests.
 */
public final class LockRules {

	/**
	 * No class calls a locked method of its own: that call passes no proxy, so it
	 * acquires no lock. Classes that inject their own type are not checked, since they
	 * call its proxy. Not for {@code distlock.aop.mode=aspectj}, which locks such calls.
	 */
	public static final ArchRule NO_CALLS_PAST_THE_PROXY = ArchRuleDefinition.noClasses()
		.that(DescribedPredicate.not(DescribedPredicate.describe("inject their own type", LockRules::injectsItself)))
		.should()
		.callMethodWhere(DescribedPredicate.describe("it is their own and locked", LockRules::passesTheProxy))
		.because("such a call passes no proxy and acquires no lock: call the method from another bean")
		.allowEmptyShould(true);

	private LockRules() {
	}

	private static boolean injectsItself(JavaClass type) {
		return type.getFields().stream().anyMatch((field) -> field.getAllInvolvedRawTypes().contains(type));
	}

	private static boolean passesTheProxy(JavaCall<?> call) {
		return call.getOriginOwner().isAssignableTo(call.getTargetOwner().getName()) && (isLocked(call.getTargetOwner())
				|| call.getTarget().resolveMember().filter(LockRules::isLocked).isPresent());
	}

	private static boolean isLocked(CanBeAnnotated element) {
		return element.isMetaAnnotatedWith(DistributedLock.class) || element.isAnnotatedWith(DistributedLocks.class);
	}

}

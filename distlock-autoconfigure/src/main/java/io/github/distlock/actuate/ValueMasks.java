package io.github.distlock.actuate;

import java.util.List;
import java.util.Set;

import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;

/**
 * Decides which callers see keys, hosts and callers.
 */
public final class ValueMasks {

	private final Show showValues;

	private final Set<String> roles;

	private final Sanitizer sanitizer;

	/**
	 * Create the rules.
	 * @param showValues when values are shown
	 * @param roles the roles of which an authorized caller has one; if empty, each
	 * authenticated caller is authorized
	 * @param functions mask further values, in their order
	 */
	public ValueMasks(Show showValues, Set<String> roles, List<SanitizingFunction> functions) {
		this.showValues = showValues;
		this.roles = roles;
		this.sanitizer = new Sanitizer(functions);
	}

	ValueMask of(SecurityContext caller) {
		return new ValueMask(this.sanitizer, this.showValues.isShown(caller, this.roles));
	}

}

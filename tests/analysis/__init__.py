"""Tests of analysis/, and what holds its estimates that nobody of this project wrote.

weights, post-stratified, raked, trimmed: R's survey
    sampling/test_survey_of_r.py::test_it_is_what_r_printed
weighted shares, means, differences, tables, ratios, regressions, waves: R's survey
    sampling/test_survey_of_r.py::test_it_is_what_r_printed
the same on its `api` schools, made noisy: R's survey, run
    sampling/test_survey_of_r.py::test_r_prints_it_of_its_own_schools
a share and a total of a sample: RRTCS
    sampling/test_design_based.py::test_horvitz_s_survey_as_rrtcs_prints_it
    test_estimation.py::test_public_data_to_the_printed_digits
random intercepts, 15 points: GLMMRR 0.6.0 with lme4
    regression/test_mixed.py::test_it_has_the_digits_of_glmmrr
the same, any link, k answers: the integral
    regression/test_mixed.py::test_the_likelihood_is_the_integral
correlations: RRreg; all reports enumerated
    joint/test_correlations.py::test_it_has_the_digits_of_rrreg
    joint/test_correlations.py::test_it_is_unbiased_by_enumeration
randomised predictors: RRreg; a general optimiser of scipy
    regression/test_predictors.py::test_it_has_the_digits_of_rrreg
    regression/test_predictors.py::test_several_randomised_predictors_are_taken_together
ratios and odds ratios: Katz; Woolf; enumeration
    joint/test_groups.py::test_the_delta_method_s_are_katz_s_and_woolf_s
    joint/test_groups.py::test_ratios_hold_where_the_delta_method_s_miss
scrambled numbers: RRTCS; enumeration
    ../reanalysis/test_lists.py::test_the_estimators_of_the_papers
    ../reanalysis/test_lists.py::test_each_mean_and_variance_is_unbiased
several arms: shares: the papers; enumeration
    ../reanalysis/test_arms.py::test_moshagen_s_estimators_and_variances
    ../reanalysis/test_arms.py::test_unbiased_with_an_unbiased_variance_by_enumeration
several arms: regressions: RRreg
    ../reanalysis/test_regression.py::test_the_lie_detector_has_rrreg_s_digits
    ../reanalysis/test_regression.py::test_it_tests_whether_fewer_admit_it
data of others: a share: rr, RRreg, RRTCS
    ../cli/test_analyse.py::test_a_column_becomes_a_table_to_publish
    test_estimation.py::test_public_data_to_the_printed_digits
SPSS, Stata, Parquet, as other programs write them: the CSV
    ../study/test_collected.py::test_each_kind_of_file_is_the_same_study
list experiments; double lists: R's list; R's t.test
    ../reanalysis/test_lists.py::test_the_digits_are_those_of_the_package_list
    ../reanalysis/test_lists.py::test_a_double_list_is_half_a_t_test
"""

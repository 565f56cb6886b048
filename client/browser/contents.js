/**
 * What the program consists of, in the order in which to read it: nothing is used before it was
 * explained. It starts in page/main.js.
 *
 * core/ decides: what is drawn, what is kept and what is sent. page/ shows: it hands the answers that
 * people tick and type to core/, and keeps none. Each file is served as the modules below its name,
 * as they are written but for comments, the lines that import and the word that exports.
 *
 * main.js: what every survey needs, loaded last
 *   core/channel.js         the channel: how likely each report is, given the truth
 *   core/questions.js       what depends on the kind of a question
 *   core/shape.js           every key of a document, and what can stand there
 *   core/protocol.js        the promise, which this device checks before it asks anything
 *   core/report.js          from the truths to the bytes: all that ever leaves this device
 *   core/order.js           what stands in random order
 *   core/chance.js          all that chance decides, drawn when the page opens
 *   core/answer.js          what our own server says, and not a program between
 *   core/submission.js      sending a report until the server has it
 *   core/memory.js          what this device keeps of a person: what was reported, and its ε
 *   core/wordings.js        what is asked and its words, line by line
 *   core/fetching.js        fetching what is asked
 *   page/dom.js             making elements
 *   page/say.js             the page's words, in the language that is read
 *   page/odds.js            numbers in 100, and what they are called
 *   page/revealed.js        what reports have revealed together
 *   page/trust.js           why the answers are protected
 *   page/randomisation.js   how each answer is sent
 *   page/sureness.js        how sure somebody could get of an answer
 *   page/words.js           sentences whose numbers are computed from the channels
 *   page/pictures.js        the drawings
 *   page/helpline.js        who helps, and whom to ask
 *   page/state.js           what depends on the day
 *   page/surroundings.js    what stands around the questions, in each language
 *   page/frame.js           what leads on and back
 *   page/refuse.js          why nothing is asked, on the page
 *   page/changed.js         the survey check number, and what is said where the link has another
 *   page/tryout.js          ten made-up reports, to try it
 *   page/opening.js         the first screen
 *   page/panels.js          the parts of the page around the questions
 *   page/answers.js         what was answered, read from the page's inputs
 *   page/errors.js          what is missing
 *   page/choices.js         radio buttons
 *   page/controls.js        the controls of each kind of question
 *   page/form.js            the questions
 *   page/review.js          all answers, to be checked before anything is sent
 *   page/navigation.js      the way through a survey: where somebody is, and what is shown there
 *   page/person.js          who answers, and what is said to those who have answered before
 *   page/receipt.js         what stands below the news of a report
 *   page/delivery.js        the page while a report is sent
 *   page/questionnaire.js   the questions on the page, until the report is made
 *   page/page.js            the respondent's page, from the first check to the receipt
 *   page/main.js            where the program starts
 *
 * leave.js: what every page with an exit needs, loaded first
 *   core/refusal.js         why nothing may or can be asked
 *   core/sha256.js          a hash, which names what is asked
 *   page/address.js         the address of a survey, and where its page may be
 *   core/storage.js         this device's storage, and our names in it
 *   page/history.js         the way through a survey in the browser's history
 *   page/exit.js            leaving at once
 *   page/leave.js           where it starts
 *
 * onward.js: what the page at an address needs that is nearly a survey's
 *   page/onward.js          to the one that everybody has
 *
 * waves.js: what a survey that is asked in waves needs
 *   core/waves.js           the channel of a survey that is asked again and again
 *   core/memoryinwaves.js   what this device keeps from one wave to the next
 *   page/waves.js           what is said of it
 *
 * asking.js: what a survey needs that asks each person only some of it
 *   core/asking.js          which items this device asks by chance, and which it refuses to ask
 *   page/subset.js          what is said of it
 *
 * branching.js: what a survey needs whose questions need earlier answers
 *   core/branching.js       who is asked a question, and which it refuses to ask
 *   page/followup.js        what can be answered to it, first of all that it does not apply
 *
 * together.js: what a survey needs that sends several answers as one
 *   core/together.js        the cells of a group of questions, and what is drawn of them
 *   page/together.js        what is said of answers that cannot all be true
 *
 * boxes.js: what a question with several answers needs, a number to decline, and consent
 *   page/boxes.js           tick boxes
 *
 * statement.js: what a question that is asked by a spinner and two statements needs
 *   core/statement.js       where the spinner points, and what is sent by that
 *   page/statement.js       the spinner, and the statement that it points to
 *
 * number.js: what a question for a number needs
 *   page/typed.js           which number somebody means by what they typed
 *   page/number.js          a button for each number, or a field to type it in
 *
 * grid.js: what a question with several rows needs
 *   page/grid.js            a table, or one row at a time
 *
 * pin.js: what a survey needs whose respondents share an access word, or have a code each
 *   page/pin.js             the field for it
 *
 * invitation.js: what a survey by invitation needs, which takes one report for each code
 *   core/sha384.js          a longer hash, for signatures
 *   core/blind.js           signatures under what the signer cannot see
 *   core/admission.js       a code becomes a token, which is sent with the report
 *   page/invitation.js      what is said to a code
 *
 * consent.js: what a survey needs that people have to agree to first
 *   page/consent.js         what they agree to, and the box for it
 *
 * comprehension.js: what a survey that asks whether its protection is clear needs
 *   page/comprehension.js   two questions about the protection
 *
 * advance.js: what a survey needs in which a tap leads on
 *   page/advance.js         from one of two answers to the next question
 *
 * trial.js: what a trial needs
 *   core/trial.js           what is kept of it, as long as the page is open
 *   page/trial.js           what is said of it, on every screen
 *
 * corrected.js: what a survey needs whose words were corrected
 *   page/corrected.js       which words those were
 *
 * coins.js: what a phone needs in a class to show what it sent, and what the class sees
 *   page/coins.js           the report, and how two coins fell
 *   page/wall.js            what the big screen shows, in small
 *
 * meeting.js: what a phone needs in a class that answers together, with coins.js before it
 *   page/asked.js           what stands around the question, and the slider of a guess
 *   page/meeting.js         waiting for the question, and sending it again
 *
 * language.js: what a page that is not in English alone needs
 *   page/translation.js     a survey as it reads in another language
 *   page/language.js        finding and changing the language
 *
 * device.js: what the page needs that shows what this device remembers
 *   core/ledger.js          all of it, for the person to read and clear
 *   page/device.js          the page
 */
